"""The sources' tables reproduced, speeds next to the peers', and plots: results as data first, pictures second."""
