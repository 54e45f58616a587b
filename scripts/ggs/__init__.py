"""A bridge between the Generic Game Server (GGS) and an engine on this machine.

Read in this order; everything but `loop` is free of sockets, processes and files, and is tested without them:

    othello    positions and moves, to check what server and engine say
    clocks     the server's clocks, and what an engine is told of them
    messages   bytes of the server -> lines -> messages
    rules      the file of rules: which requests to accept, what else to answer
    record     a game as GGF
    dialogue   the words of GTP and NBoard
    bridge     the state machine: messages and answers of engines in, actions out
    engine     an engine's process
    loop       sockets, processes, files and signals around the bridge; the command line

What is known of the server is in docs/ggs.md.
"""
