//go:build tools

// Package age names the program that is built here, so that its module and all it needs are pinned.
package age

import (
	_ "filippo.io/age/cmd/age"
	_ "filippo.io/age/cmd/age-keygen"
)
