package peers

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// script is a Python process that runs lines of a program in peer/, one at a time, on request.
type script struct {
	file string
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Scanner
}

// startScript starts a program in peer/ with a Python that has a module. The libraries below the module use
// that many threads.
func startScript(python, root, file, module string, threads int) (*script, error) {
	if err := exec.Command(python, "-c", "import "+module).Run(); err != nil {
		return nil, fmt.Errorf("%s does not have the module %s", python, module)
	}
	n := strconv.Itoa(threads)
	p := &script{file: file, cmd: exec.Command(python, filepath.Join(root, "peer", file), n)}
	// Bound, because two threads of OpenMP may else stay on one processor for seconds.
	p.cmd.Env = append(os.Environ(), "OMP_NUM_THREADS="+n, "MKL_NUM_THREADS="+n, "OPENBLAS_NUM_THREADS="+n,
		"OMP_PROC_BIND=true")
	p.cmd.Stderr = os.Stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewScanner(out)
	return p, p.cmd.Start()
}

// run runs a line n times in a row.
func (p *script) run(name string, n int) (clock, error) {
	if _, err := fmt.Fprintln(p.in, n, name); err != nil {
		return clock{}, err
	}
	if !p.out.Scan() {
		return clock{}, fmt.Errorf("peer/%s ended", p.file)
	}
	var wall, cpu float64
	if _, err := fmt.Sscan(p.out.Text(), &wall, &cpu); err != nil {
		return clock{}, fmt.Errorf("peer/%s printed %q", p.file, p.out.Text())
	}
	return clock{seconds(wall), seconds(cpu)}, nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func (p *script) close() {
	_ = p.in.Close()
	_ = p.cmd.Wait()
}

// versus returns a script as a competitor in a line, or nothing where the script does not run.
func (p *script) versus(name string, least float64, line string) []competitor {
	if p == nil {
		return nil
	}
	return []competitor{{name: name, least: least, run: func(n int) (clock, error) { return p.run(line, n) }}}
}
