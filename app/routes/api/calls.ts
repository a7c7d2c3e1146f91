import { answerApi } from './calls.server.ts'

/** Everything below `/api`: the calls, and JSON for unknown addresses. */
export const loader = answerApi
export const action = answerApi
