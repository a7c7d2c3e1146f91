// For platforms in memory whose tests write nothing: a write is a fault of what is tested, and says so.
import type { PlatformWrites } from '#app/adapters/platform.ts'

const refuse = () => Promise.reject(new Error('nothing is written in this test'))

export const NO_WRITES: PlatformWrites = {
  create: refuse,
  update: refuse,
  remove: refuse,
  sendSms: refuse,
  produceDocument: refuse,
  uploadFile: refuse,
  fileAddress: refuse,
  postToFeed: refuse,
}
