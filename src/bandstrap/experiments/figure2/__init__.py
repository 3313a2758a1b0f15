"""The paper's second half: labelled data sets as bandits."""
