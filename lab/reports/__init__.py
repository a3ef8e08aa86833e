"""Reports of contests: documents, charts and plots."""
