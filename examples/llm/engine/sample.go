package engine

import (
	"math"
	"math/rand/v2"

	"example.com/llm/model"
)

// Sampling says how tokens are drawn.
type Sampling struct {
	Temperature float64 // 0: the likeliest token
	TopK        int     // only so many of the likeliest tokens; 0 or more than 256: 256
	TopP        float64 // only the likeliest tokens that have this probability together; 0: all
	MinP        float64 // no token that is less likely than this part of the likeliest one
	Seed        uint64
}

// sampler draws the tokens of one sequence. The same seed draws the same tokens, whatever else is in a batch.
type sampler struct {
	Sampling
	random  *rand.Rand
	weights []float64
}

func newSampler(o Sampling) *sampler {
	if o.TopK <= 0 || o.TopK > model.Candidates {
		o.TopK = model.Candidates
	}
	if o.TopP <= 0 {
		o.TopP = 1
	}
	return &sampler{Sampling: o, random: rand.New(rand.NewPCG(o.Seed, 0))}
}

// pick returns the token that follows.
func (s *sampler) pick(p model.Prediction) model.Candidate {
	if len(p.Top) == 0 {
		return model.Candidate{Token: p.Token}
	}
	if s.Temperature <= 0 {
		return p.Top[0]
	}
	total, whole := 0.0, 0.0
	s.weights = s.weights[:0]
	list := p.Top[:min(s.TopK, len(p.Top))]
	for _, c := range list {
		w := math.Exp((c.LogProb - list[0].LogProb) / s.Temperature)
		s.weights = append(s.weights, w)
		whole += w
	}
	n := 0
	for n < len(list) && (n == 0 || total < s.TopP*whole) && s.weights[n] >= s.MinP {
		total += s.weights[n]
		n++
	}
	at := s.random.Float64() * total
	for i, w := range s.weights[:n] {
		if at -= w; at < 0 {
			return list[i]
		}
	}
	return list[max(n-1, 0)]
}
