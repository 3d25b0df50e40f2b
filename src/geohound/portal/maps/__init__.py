"""What the maps of the pages need: places by name, counts by cell, how a layer is drawn, and a proxy for who may."""
