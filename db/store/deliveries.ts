/** What is due, and what became of each attempt. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the delivery engine
export interface DeliveryStore {}
