"""What live and offline contests share: ratings. Pure Python, for the server and the laboratory."""
