package main

import (
	"context"
	"slices"
	"sync"

	cosi "github.com/cosi-project/runtime/api/v1alpha1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/anypb"

	configpb "github.com/siderolabs/talos/pkg/machinery/api/resource/config"
)

// seen is every message that was sent or received, and every field of it that was set.
var seen = &record{names: map[string]bool{}}

type record struct {
	mu    sync.Mutex
	names map[string]bool
}

func (r *record) list() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]string, 0, len(r.names))
	for name := range r.names {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

func (r *record) message(message any) {
	if m, ok := message.(proto.Message); ok {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.walk(m.ProtoReflect())
	}
}

func (r *record) walk(m protoreflect.Message) {
	r.names[string(m.Descriptor().FullName())] = true
	switch inner := m.Interface().(type) {
	case *anypb.Any:
		if packed, err := inner.UnmarshalNew(); err == nil {
			r.walk(packed.ProtoReflect())
		}
		return
	case *cosi.Resource:
		var spec configpb.MachineConfigSpec
		if inner.GetMetadata().GetType() == "MachineConfigs.config.talos.dev" && proto.Unmarshal(inner.GetSpec().GetProtoSpec(), &spec) == nil {
			r.walk(spec.ProtoReflect())
		}
	}
	m.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		r.names[string(field.FullName())] = true
		switch {
		case field.IsMap() || field.Message() == nil:
		case field.IsList():
			for i := range value.List().Len() {
				r.walk(value.List().Get(i).Message())
			}
		default:
			r.walk(value.Message())
		}
		return true
	})
}

// recording lets a client go on as before and writes down what it says and hears.
func recording() []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithChainUnaryInterceptor(func(ctx context.Context, method string, request, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			seen.message(request)
			err := invoke(ctx, method, request, reply, cc, opts...)
			if err == nil {
				seen.message(reply)
			}
			return err
		}),
		grpc.WithChainStreamInterceptor(func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
			stream, err := open(ctx, desc, cc, method, opts...)
			return recorded{stream}, err
		}),
	}
}

type recorded struct{ grpc.ClientStream }

func (s recorded) SendMsg(m any) error {
	seen.message(m)
	return s.ClientStream.SendMsg(m)
}

func (s recorded) RecvMsg(m any) error {
	err := s.ClientStream.RecvMsg(m)
	if err == nil {
		seen.message(m)
	}
	return err
}
