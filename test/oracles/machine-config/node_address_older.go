//go:build !talos114

package main

import (
	"net/netip"

	"github.com/siderolabs/talos/pkg/machinery/config/types/network"
)

func address(text string) network.Addr  { return network.Addr{Addr: netip.MustParseAddr(text)} }
func prefix(text string) network.Prefix { return network.Prefix{Prefix: netip.MustParsePrefix(text)} }
