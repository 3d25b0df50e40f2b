"""The search engine: index.py follows a catalogue, keeps an index of it, and finds services and layers."""
