"""What an expression may be: the domain of values, conditions that hold or not, methods of strings and arrays."""
