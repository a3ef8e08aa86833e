"""What Bamboo's players share: the cells' geometry, and the methods of the Bamboo paper."""
