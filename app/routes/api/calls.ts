import { answerApi } from './calls.server.ts'

/** Everything below `/api`: the calls, and JSON where there is none. */
export const loader = answerApi
export const action = answerApi
