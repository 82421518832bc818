package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/siderolabs/talos/pkg/machinery/client"
)

var checks int

// expect counts a check and says what is wrong when it fails.
func expect[T comparable](what string, got, want T) error {
	checks++
	if got != want {
		return fmt.Errorf("%s is %v, not %v", what, got, want)
	}
	return nil
}

// refused is the code and the text of an answer that must be an error.
func refused(what string, err error, code codes.Code, text string) error {
	if err := expect("the code of "+what+" ("+status.Convert(err).Message()+")", status.Code(err), code); err != nil {
		return err
	}
	if got := status.Convert(err).Message(); !strings.Contains(got, text) {
		return fmt.Errorf("%s says %q, not %q", what, got, text)
	}
	return nil
}

// all of them, or the first that went wrong.
func all(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// eventually tries again until it works or the time is over.
func eventually(ctx context.Context, what string, try func(context.Context) error) error {
	checks++
	long, stop := context.WithTimeout(ctx, 40*time.Second)
	defer stop()
	for {
		short, cancel := context.WithTimeout(long, 5*time.Second)
		err := try(short)
		cancel()
		if err == nil {
			return nil
		}
		select {
		case <-long.Done():
			return fmt.Errorf("%s: %w", what, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// text is all that a stream gives.
func text(r io.ReadCloser, err error) (string, error) {
	if err != nil {
		return "", err
	}
	defer r.Close() //nolint:errcheck
	all, err := io.ReadAll(r)
	return string(all), err
}

func streamText(stream client.MachineStream, err error) (string, error) {
	if err != nil {
		return "", err
	}
	return text(client.ReadStream(stream))
}

// until receives from a stream until somebody says that it is enough.
func until[T any](what string, receive func() (T, error), enough func(T) (bool, error)) error {
	checks++
	for {
		got, err := receive()
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("%s: the stream ends too early", what)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		if done, err := enough(got); done || err != nil {
			return err
		}
	}
}
