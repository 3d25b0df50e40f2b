"""What stands between the network and the pages: names, other origins, rates, slow headers, what a page may load."""
