//go:build talos112

package main

import "context"

// imageService came with 1.13.
func (p *play) imageService(context.Context) error { return nil }
