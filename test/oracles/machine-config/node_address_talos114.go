//go:build talos114

package main

import (
	"net/netip"

	"github.com/siderolabs/talos/pkg/machinery/config/types/meta"
)

func address(text string) meta.Addr  { return meta.Addr{Addr: netip.MustParseAddr(text)} }
func prefix(text string) meta.Prefix { return meta.Prefix{Prefix: netip.MustParsePrefix(text)} }
