//go:build tools

// Package helm names the program that is built here, so that its module and all it needs are pinned.
package helm

import _ "helm.sh/helm/v3/cmd/helm"
