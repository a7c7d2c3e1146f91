import { parentPort, workerData } from 'node:worker_threads'

import { NEVER_ENDS } from './stuck-words.mjs'

// Runs before the product's own listener.
parentPort?.on('message', (order) => {
  if (JSON.stringify(order).includes(NEVER_ENDS)) for (;;);
})
await import(workerData.file)
