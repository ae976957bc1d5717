"""The shape of JSON values: checkers that name the key at fault, and the records that recur."""
