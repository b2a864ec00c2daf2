"""Pairs of questions: of the same meaning, and of another one however alike they sound."""

Paraphrases = tuple[tuple[str, str], ...]

# The same question in other words; an earlier answer to one serves the other.
RECALLED: Paraphrases = (
    (
        "Movies about robots that turn against their makers",
        "Films in which robots rebel against their creators",
    ),
    (
        "I have seen all Star Wars movies, what is similar?",
        "Something similar for someone who has seen all Star Wars films",
    ),
    (
        "How many horror films are there?",
        "What is the number of horror movies?",
    ),
    (
        "Which themes appear most often in science fiction?",
        "What are the most common themes of science fiction films?",
    ),
    (
        "Films set in Paris from 1990 to 1999",
        "Movies from 1990 to 1999 that are set in Paris",
    ),
    (
        "Which characters appear in the most films?",
        "What characters are in the largest number of movies?",
    ),
    (
        "heist movies with a twist",
        "films about a heist that have a twist",
    ),
    (
        "Movies like Alien but not horror",
        "films similar to Alien, but not horror",
    ),
    (
        "List all films of the series James Bond",
        "Show me every movie in the James Bond series",
    ),
    (
        "What films explore coming of age in a small town?",
        "coming of age movies in small towns",
    ),
    (
        "war films seen from the side of civilians",
        "movies that show war through the eyes of civilians",
    ),
    (
        "how are Star Wars and Dune connected?",
        "what connects Dune and Star Wars?",
    ),
    (
        "time travel comedies",
        "funny films with time travel",
    ),
    (
        "kids fighting monsters in their hometown",
        "children battle monsters in their home town",
    ),
    (
        "what is the oldest film in the graph",
        "which is the oldest movie?",
    ),
    (
        "films in which a computer becomes conscious",
        "movies where a computer gains consciousness",
    ),
    (
        "star wars like space operas",
        "space operas like Star Wars",
    ),
)

# The same question too, but too far in words or meaning to be sure: recall keeps silent.
NOT_DARED: Paraphrases = (
    (
        "Lonely astronauts far from home",
        "Movies about an astronaut who is alone far away from home",
    ),
    (
        "detective stories in a rainy city",
        "films with a detective in a city where it rains",
    ),
    (
        "stories about grief after the loss of a child",
        "films on parents mourning a dead child",
    ),
    (
        "a courtroom drama about an innocent man",
        "legal drama where the accused is innocent",
    ),
    (
        "sci-fi about memory loss",
        "science fiction films about losing one's memory",
    ),
    (
        "horror in space",
        "scary movies that take place in space",
    ),
    (
        "movies set in the Wild West",
        "westerns set in the old west of America",
    ),
    (
        "a thief with a code of honour",
        "movies about an honourable thief",
    ),
)

# Another question: a number, name, filter, exclusion or role differs.
DIFFERENT: Paraphrases = (
    (
        "Films set in Paris",
        "Films set in London",
    ),
    (
        "movies about dogs",
        "movies about cats",
    ),
    (
        "sad films about dogs",
        "funny films about dogs",
    ),
    (
        "Movies released after 1990",
        "Movies released before 1990",
    ),
    (
        "Which theme appears most often?",
        "Which theme appears least often?",
    ),
    (
        "heist movies with a twist",
        "heist movies without violence",
    ),
    (
        "How many horror films are there?",
        "How many comedies are there?",
    ),
    (
        "How many horror films are there?",
        "List horror films",
    ),
    (
        "Movies like Alien",
        "Movies like Aliens",
    ),
    (
        "Movies like Alien",
        "Movies like Predator",
    ),
    (
        "films with Batman",
        "films with Superman",
    ),
    (
        "stories about grief after the loss of a child",
        "stories about grief after the loss of a husband",
    ),
    (
        "robots that help people",
        "robots that kill people",
    ),
    (
        "oldest film in the graph",
        "newest film in the graph",
    ),
    (
        "films about the First World War",
        "films about the Second World War",
    ),
    (
        "movies with a happy ending",
        "movies with a tragic ending",
    ),
    (
        "space films except for Alien",
        "space films",
    ),
    (
        "Which characters appear in the most films?",
        "Which settings appear in the most films?",
    ),
    (
        "latest 5 films",
        "latest 10 films",
    ),
    (
        "a lonely robot",
        "a lonely astronaut",
    ),
    (
        "two brothers rob a bank",
        "two sisters rob a bank",
    ),
    (
        "a woman avenges her husband",
        "a man avenges his wife",
    ),
    (
        "friendship between a boy and a dog",
        "friendship between a boy and an alien",
    ),
    (
        "winning a war",
        "losing a war",
    ),
    (
        "escape from prison",
        "escape from a island",
    ),
    (
        "films where the hero dies",
        "films where the hero survives",
    ),
    (
        "films where the hero dies",
        "films where the villain dies",
    ),
    (
        "how are Star Wars and Dune connected?",
        "how are Star Wars and Alien connected?",
    ),
    (
        "a detective in the future",
        "a detective in the past",
    ),
    (
        "a rich man becomes poor",
        "a poor man becomes rich",
    ),
    (
        "movies like star wars",
        "movies like harry potter",
    ),
    (
        "films from 1990 to 1999",
        "films from 1980 to 1989",
    ),
    (
        "films with more than 3 themes",
        "films with fewer than 3 themes",
    ),
    (
        "movies with Leia",
        "movies with Vader",
    ),
    (
        "top 5 themes",
        "top 15 themes",
    ),
    (
        "movies set in new york",
        "movies set in los angeles",
    ),
    (
        "how many films have no genre",
        "how many films have a genre",
    ),
    (
        "war films about civilians",
        "war films about soldiers",
    ),
    (
        "robots in love",
        "robots at war",
    ),
    (
        "comedies with dogs",
        "comedies with dogs set in Paris",
    ),
    (
        "I have seen all Star Wars movies, what is similar?",
        "I have seen all Star Trek movies, what is similar?",
    ),
    (
        "a father searches for his daughter",
        "a mother searches for her son",
    ),
    (
        "films where the police are corrupt",
        "films where the police are honest",
    ),
)
