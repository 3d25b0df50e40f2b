"""Everything long-running: started, watched, paused and stopped the same way, whoever asks for it and runs it."""
