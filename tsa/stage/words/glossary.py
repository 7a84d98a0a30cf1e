"""The terms of the lab, each in one or two plain sentences: one term for one thing."""

GLOSSARY: dict[str, str] = {
    "s": "The turn: the angle by which x is turned counter-clockwise to become y.",
    "weight": "How many times a subspace goes round while the picture goes round once. A turn by s turns a plane of"
    " weight k by k·s; weight 0 does not move.",
    "subspace": "A plane or a line of pictures, spanned by a pair of filters or by one, that every turn maps to"
    " itself.",
    "likelihood": "How well each turn s fits the pair: the probability of y if it is x turned by s, plus noise of σ.",
    "prior": "What is assumed about the turn before the pair is seen, as a probability over s. Without one, every turn"
    " is equally probable.",
    "posterior": "The probability of each turn s once the pair is seen: likelihood times prior, scaled to sum to 1.",
    "evidence": "log p(y | x), in nats: the probability of y averaged over all turns that the prior allows. It is"
    " higher if some turn fits better.",
    "σ": "The noise that the model assumes: the standard deviation of each pixel of y, in grey values.",
    "κ̂": "Concentration: how strongly one subspace favours its estimated phase, |z(x)| |z(y)| / σ². 0 says nothing"
    " about the turn.",
    "η̂": "The arrow of one subspace from x to y. It points to the estimated phase, and its length is the"
    " concentration κ̂.",
    "loudness": "κ of a weight: the height of the wave that all its subspaces together add to the log likelihood. Loud"
    " weights decide the answer.",
    "certainty": "The length of the mean of e^{iφ} over the phase φ of a subspace: 0 % if every phase is as probable,"
    " 100 % if one is certain.",
    "uncertainty": "The entropy of the posterior over whole degrees. 0 bits: one turn is certain. 8.5 bits: any of"
    " 360.",
    "torus distance": "The distance left between x and y if every subspace may turn on its own.",
    "manifold distance": "The distance left between x and y after the best single turn. 0: y is x, turned.",
    "Euclidean distance": "The distance between x and y without any turn, within the span of the filters.",
    "symmetry": "Turns that leave x as it is: its stabiliser. A square has four, 90° apart, so each of its answers"
    " comes four times.",
    "left over": "What remains of y after x, turned by the best s, is subtracted. If a turn explains the pair, it"
    " is noise.",
}
