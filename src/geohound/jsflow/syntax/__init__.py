"""From the text of a script to its tree: cut, parsed, searched for words and declarations."""
