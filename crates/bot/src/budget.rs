//! How long a bot may think.

/// The limits of one choice: nodes decide, the question can only cut short.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    nodes: u64,
    stop: &'a dyn Fn() -> bool,
}

impl Budget<'static> {
    /// A budget of nodes (positions played) alone.
    #[must_use]
    pub fn of_nodes(nodes: u64) -> Budget<'static> {
        Budget { nodes, stop: &|| false }
    }
}

impl<'a> Budget<'a> {
    /// A budget of nodes that a question can cut short; it is asked every few hundred nodes. What has been found by
    /// then is played.
    #[must_use]
    pub fn until(nodes: u64, stop: &'a dyn Fn() -> bool) -> Budget<'a> {
        Budget { nodes, stop }
    }

    /// The greatest number of nodes.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Shall the search end now?
    pub(crate) fn stops(&self) -> bool {
        (self.stop)()
    }

    /// The same question, with fewer nodes at most.
    pub(crate) fn at_most(&self, nodes: u64) -> Budget<'a> {
        Budget { nodes: self.nodes.min(nodes), stop: self.stop }
    }
}

impl std::fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Budget").field("nodes", &self.nodes).finish_non_exhaustive()
    }
}
