//! The search of one thread, taken apart into what several could share: the input of the [simulation](super::simulation).
//!
//! [`Threads::recording`](super::Threads::recording) makes a thread that opens nodes as if another were idle, and so searches the
//! moves of open nodes by the same code as several threads do. That code notes where nodes begin and end, outside of what is hot.
//! Probes, repeated searches and iterations need no notes of their own: they follow each other within a task.

/// A recorded search. Its parts refer to each other by their places in these lists.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// The first is the whole search; the others are those of moves of open nodes, in the order in which they began.
    pub tasks: Vec<Task>,
    /// The nodes that were opened, in that order.
    pub nodes: Vec<OpenNode>,
}

impl Recording {
    /// Tree nodes of the whole search.
    pub fn n_nodes(&self) -> u64 {
        let steps = self.tasks.iter().flat_map(|task| &task.steps);
        steps.map(|step| if let Step::Alone(n) = *step { n } else { 0 }).sum()
    }
}

/// What one thread does, step after step: the search of a move, or of everything.
#[derive(Clone, Debug, Default)]
pub struct Task {
    /// What it consists of, in the order in which it is to be done.
    pub steps: Vec<Step>,
}

/// A part of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// So many tree nodes, which no other thread can help with.
    Alone(u64),
    /// The rest of an open node, by its place in the list.
    Open(usize),
}

/// A node with moves that several threads could have searched.
#[derive(Clone, Debug, Default)]
pub struct OpenNode {
    /// Plies.
    pub depth: u32,
    /// Whether it is a node of the principal variation; the others have null windows.
    pub is_in_variation: bool,
    /// Moves that were searched before it could be opened.
    pub n_before: usize,
    /// The tasks of the moves that were searched after these.
    pub moves: Vec<usize>,
    /// Whether the last of these cut the node off.
    pub is_cut: bool,
    /// How many moves were left then.
    pub n_left: usize,
}

/// Makes a recording. The counts that it is told are the thread's tree nodes so far.
#[derive(Default)]
pub(super) struct Recorder {
    recording: Recording,
    /// What is being recorded, the innermost last; the first task is around the first node.
    tasks: Vec<usize>,
    nodes: Vec<usize>,
    /// Tree nodes that the recording contains.
    n_recorded: u64,
}

impl Recorder {
    pub fn new() -> Recorder {
        let mut recorder = Recorder::default();
        recorder.begin_task();
        recorder
    }

    /// A node is opened.
    pub fn open(&mut self, n_nodes: u64, node: OpenNode) {
        self.catch_up(n_nodes);
        let number = self.recording.nodes.len();
        self.recording.nodes.push(node);
        self.add(Step::Open(number));
        self.nodes.push(number);
    }

    /// The search of a move of the innermost node begins.
    pub fn begin_move(&mut self, n_nodes: u64) {
        self.catch_up(n_nodes);
        let task = self.begin_task();
        if let Some(&node) = self.nodes.last() {
            self.recording.nodes[node].moves.push(task);
        }
    }

    /// The search of the move ends.
    pub fn end_move(&mut self, n_nodes: u64) {
        self.catch_up(n_nodes);
        self.tasks.pop();
    }

    /// The innermost node is done with so many moves left.
    pub fn close(&mut self, is_cut: bool, n_left: usize) {
        if let Some(number) = self.nodes.pop() {
            let node = &mut self.recording.nodes[number];
            (node.is_cut, node.n_left) = (is_cut, n_left);
        }
    }

    /// The search is over.
    pub fn finish(mut self, n_nodes: u64) -> Recording {
        self.catch_up(n_nodes);
        self.recording
    }

    fn begin_task(&mut self) -> usize {
        let task = self.recording.tasks.len();
        self.recording.tasks.push(Task::default());
        self.tasks.push(task);
        task
    }

    fn catch_up(&mut self, n_nodes: u64) {
        let n_new = n_nodes - self.n_recorded;
        self.n_recorded = n_nodes;
        if n_new > 0 {
            self.add(Step::Alone(n_new));
        }
    }

    fn add(&mut self, step: Step) {
        if let Some(&task) = self.tasks.last() {
            self.recording.tasks[task].steps.push(step);
        }
    }
}
