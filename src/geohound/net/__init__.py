"""How Geohound touches the network."""
