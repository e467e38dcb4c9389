"""The sources' tables again, speeds beside the peers', and plots: results as data first, pictures second."""
