"""What is looked at again: when, how a look ended, what a layer shows, and when nobody is to look."""
