"""What users of Horae import."""
