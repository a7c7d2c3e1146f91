// Import before creating any schema: once per page, zod tests whether it may compile code from text, and our
// Content-Security-Policy refuses and reports that.
import { config } from 'zod'

config({ jitless: true })
