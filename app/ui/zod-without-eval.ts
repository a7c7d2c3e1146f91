// Imported before any schema is made: zod tries out whether it may compile code from text, once per page, and our
// Content-Security-Policy refuses that and reports it.
import { config } from 'zod'

config({ jitless: true })
