package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/anypb"

	_ "github.com/cosi-project/runtime/api/v1alpha1"

	_ "github.com/siderolabs/talos/pkg/machinery/api/cluster"
	_ "github.com/siderolabs/talos/pkg/machinery/api/common"
	_ "github.com/siderolabs/talos/pkg/machinery/api/inspect"
	machineapi "github.com/siderolabs/talos/pkg/machinery/api/machine"
	_ "github.com/siderolabs/talos/pkg/machinery/api/resource/config"
	_ "github.com/siderolabs/talos/pkg/machinery/api/storage"
	_ "github.com/siderolabs/talos/pkg/machinery/api/time"
)

// wire is what our side says about its protos: how every message is made, and one with all of its fields set.
type wire struct {
	Messages []ourMessage
	Enums    []ourEnum
	Methods  []ourMethod
}

type ourMessage struct {
	Name   string
	Fields []ourField
	Full   sample
}

type ourField struct {
	Number      int
	Name        string
	Kind        string
	Cardinality string
	Of          string
	Presence    bool
}

type ourEnum struct {
	Name   string
	Values map[string]int
}

type ourMethod struct {
	Name            string
	Input           string
	Output          string
	ServerStreaming bool
}

// sample is one message twice: by field numbers, and by names.
type sample struct {
	Name  string          `json:"name"`
	Bytes []byte          `json:"bytes"`
	JSON  json.RawMessage `json:"json"`
}

// messages judges our protos by Talos's own, and answers with messages that it has filled itself.
func messages(in io.Reader, out io.Writer) error {
	var told wire
	if err := json.NewDecoder(in).Decode(&told); err != nil {
		return err
	}
	known := map[string][]ourField{}
	for _, m := range told.Messages {
		known[m.Name] = m.Fields
	}
	answer := struct {
		Problems []string `json:"problems"`
		Samples  []sample `json:"samples"`
		LeftOut  []string `json:"leftOut"`
	}{Problems: []string{}, Samples: []sample{}, LeftOut: []string{}}
	for _, m := range told.Messages {
		found, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(m.Name))
		if err != nil {
			answer.Problems = append(answer.Problems, fmt.Sprintf("%s: %v", m.Name, err))
			continue
		}
		answer.Problems = append(answer.Problems, shape(found.Descriptor(), m)...)
		for i := range found.Descriptor().Fields().Len() {
			if field := found.Descriptor().Fields().Get(i); ours(m.Fields, field) == nil {
				answer.LeftOut = append(answer.LeftOut, string(field.FullName()))
			}
		}
		if err := agree(found, m.Full, len(m.Fields)); err != nil {
			answer.Problems = append(answer.Problems, fmt.Sprintf("%s: %v", m.Name, err))
		}
		full := found.New()
		(&filler{known: known}).fill(full)
		made, err := marshalled(m.Name, full)
		if err != nil {
			return err
		}
		answer.Samples = append(answer.Samples, made)
	}
	for _, e := range told.Enums {
		answer.Problems = append(answer.Problems, values(e)...)
	}
	for _, m := range told.Methods {
		answer.Problems = append(answer.Problems, signature(m)...)
	}
	return json.NewEncoder(out).Encode(answer)
}

func ours(fields []ourField, theirs protoreflect.FieldDescriptor) *ourField {
	for i := range fields {
		if fields[i].Number == int(theirs.Number()) {
			return &fields[i]
		}
	}
	return nil
}

func shape(theirs protoreflect.MessageDescriptor, m ourMessage) (problems []string) {
	for _, f := range m.Fields {
		field := theirs.Fields().ByNumber(protoreflect.FieldNumber(f.Number))
		if field == nil {
			problems = append(problems, fmt.Sprintf("%s has no field %d (%s)", m.Name, f.Number, f.Name))
			continue
		}
		of := ""
		switch {
		case field.IsMap():
			of = fmt.Sprintf("%s %s", field.MapKey().Kind(), field.MapValue().Kind())
		case field.Message() != nil:
			of = string(field.Message().FullName())
		case field.Enum() != nil:
			of = string(field.Enum().FullName())
		}
		cardinality := "one"
		if field.IsMap() {
			cardinality = "map"
		} else if field.IsList() {
			cardinality = "list"
		}
		kind := field.Kind().String()
		if field.IsMap() {
			kind = "map"
		}
		got := ourField{f.Number, string(field.Name()), kind, cardinality, of, field.HasPresence()}
		if got != f {
			problems = append(problems, fmt.Sprintf("%s field %d is %+v, not %+v", m.Name, f.Number, got, f))
		}
	}
	return problems
}

// agree reads our message by numbers and by names: both must give the same, with every field set and nothing left over.
func agree(of protoreflect.MessageType, ours sample, fields int) error {
	byNumber, byName := of.New(), of.New()
	if err := proto.Unmarshal(ours.Bytes, byNumber.Interface()); err != nil {
		return err
	}
	if err := protojson.Unmarshal(ours.JSON, byName.Interface()); err != nil {
		return err
	}
	if !proto.Equal(byNumber.Interface(), byName.Interface()) {
		return fmt.Errorf("by numbers %v, by names %v", byNumber, byName)
	}
	if err := leftOver(byNumber); err != nil {
		return err
	}
	set := 0
	byNumber.Range(func(protoreflect.FieldDescriptor, protoreflect.Value) bool { set++; return true })
	if set != fields {
		return fmt.Errorf("%d of %d fields are set", set, fields)
	}
	return nil
}

func leftOver(m protoreflect.Message) (err error) {
	if len(m.GetUnknown()) > 0 {
		return fmt.Errorf("%s has unknown fields", m.Descriptor().FullName())
	}
	m.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case field.IsMap() || field.Message() == nil:
		case field.IsList():
			for i := range value.List().Len() {
				if err == nil {
					err = leftOver(value.List().Get(i).Message())
				}
			}
		default:
			err = leftOver(value.Message())
		}
		return err == nil
	})
	return err
}

func marshalled(name string, m protoreflect.Message) (sample, error) {
	raw, err := proto.Marshal(m.Interface())
	if err != nil {
		return sample{}, err
	}
	text, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(m.Interface())
	if err != nil {
		return sample{}, err
	}
	// protojson varies its spaces on purpose.
	var plain bytes.Buffer
	if err := json.Compact(&plain, text); err != nil {
		return sample{}, err
	}
	return sample{name, raw, plain.Bytes()}, nil
}

// filler sets every field that our side knows, each to another value.
type filler struct {
	known map[string][]ourField
	last  int64
}

func (f *filler) fill(m protoreflect.Message) {
	name := m.Descriptor().FullName()
	if name == "google.protobuf.Any" {
		packed, err := anypb.New(&machineapi.AddressEvent{Hostname: "any", Addresses: []string{fmt.Sprint(f.next())}})
		if err != nil {
			panic(err)
		}
		m.Set(m.Descriptor().Fields().ByName("type_url"), protoreflect.ValueOfString("talos/runtime/"+strings.TrimPrefix(packed.TypeUrl, "type.googleapis.com/")))
		m.Set(m.Descriptor().Fields().ByName("value"), protoreflect.ValueOfBytes(packed.Value))
		return
	}
	fields, restricted := f.known[string(name)]
	for i := range m.Descriptor().Fields().Len() {
		field := m.Descriptor().Fields().Get(i)
		if restricted && ours(fields, field) == nil {
			continue
		}
		switch {
		case field.IsMap():
			m.Mutable(field).Map().Set(f.scalar(field.MapKey()).MapKey(), f.scalar(field.MapValue()))
		case field.IsList():
			list := m.Mutable(field).List()
			for range 2 {
				if field.Message() != nil {
					f.fill(list.AppendMutable().Message())
				} else {
					list.Append(f.scalar(field))
				}
			}
		case field.Message() != nil:
			f.fill(m.Mutable(field).Message())
		default:
			m.Set(field, f.scalar(field))
		}
	}
}

func (f *filler) next() int64 {
	f.last++
	return f.last
}

func (f *filler) scalar(field protoreflect.FieldDescriptor) protoreflect.Value {
	n := f.next()
	switch field.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(true)
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(fmt.Sprintf("%s %d", field.Name(), n))
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte{0, 255, byte(n)})
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(field.Enum().Values().Get(field.Enum().Values().Len() - 1).Number())
	case protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(int32(n))
	case protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32(1<<31 + uint32(n))
	case protoreflect.Int64Kind:
		if field.Parent().FullName() == "google.protobuf.Timestamp" || field.Parent().FullName() == "google.protobuf.Duration" {
			return protoreflect.ValueOfInt64(n)
		}
		return protoreflect.ValueOfInt64(-(1<<60 + n))
	case protoreflect.Uint64Kind:
		return protoreflect.ValueOfUint64(1<<63 + uint64(n))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(float64(n) + 0.5)
	default:
		panic(fmt.Sprintf("no value for %s", field.FullName()))
	}
}

func values(e ourEnum) (problems []string) {
	found, err := protoregistry.GlobalTypes.FindEnumByName(protoreflect.FullName(e.Name))
	if err != nil {
		return []string{fmt.Sprintf("%s: %v", e.Name, err)}
	}
	theirs := found.Descriptor().Values()
	for name, number := range e.Values {
		if value := theirs.ByName(protoreflect.Name(name)); value == nil || int(value.Number()) != number {
			problems = append(problems, fmt.Sprintf("%s.%s is not %d", e.Name, name, number))
		}
	}
	if theirs.Len() != len(e.Values) {
		problems = append(problems, fmt.Sprintf("%s has %d values, not %d", e.Name, theirs.Len(), len(e.Values)))
	}
	return problems
}

func signature(m ourMethod) []string {
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(m.Name))
	if err != nil {
		return []string{fmt.Sprintf("%s: %v", m.Name, err)}
	}
	method, ok := found.(protoreflect.MethodDescriptor)
	if !ok {
		return []string{m.Name + " is no method"}
	}
	got := ourMethod{m.Name, string(method.Input().FullName()), string(method.Output().FullName()), method.IsStreamingServer()}
	if got != m || method.IsStreamingClient() {
		return []string{fmt.Sprintf("%s is %+v, not %+v", m.Name, got, m)}
	}
	return nil
}
