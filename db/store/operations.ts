/** The owner's lease, retention, space, health. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by operations
export interface OperationsStore {}
