//go:build !talos114

package main

import "github.com/siderolabs/talos/pkg/machinery/config/config"

// splitDocuments are none before Talos 1.14.
func (n nodeInput) splitDocuments() []config.Document { return nil }
