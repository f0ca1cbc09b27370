"""The SDK: what users of Horae import."""
