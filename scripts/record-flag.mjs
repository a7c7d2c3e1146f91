// Imported first by every proof and bench: removes `--record` from the arguments, wherever it is, and notes it in the
// environment. Without it a run changes no file of the project.
import './node-version.mjs'

const at = process.argv.indexOf('--record')
if (at > 1) {
  process.argv.splice(at, 1)
  process.env.PROOF_RECORD = 'yes'
}
