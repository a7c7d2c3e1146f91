// `npm run erase -- <account>`: says which account that is, and `--yes` erases it, as its owner would. For one that a
// restore brought back. Works while the product runs; in the container: node scripts/erase.mjs
import { operate } from './operations.mjs'

await operate('eraseCommand')
