"""The schema's history: one file per revision in `versions/`, numbered in order."""
