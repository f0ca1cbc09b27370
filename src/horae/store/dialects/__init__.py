"""What differs between the databases, as answers to the questions of `base.Dialect`: one small file for each."""
