"""How the scripts of a page reach each other: imports, bundles, loaders."""
