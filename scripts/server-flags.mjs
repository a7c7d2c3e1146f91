// Memory flags of the server: without a limit V8 keeps half a minute of garbage. 16 MB for the young generation: 32 MB take
// 30 MB more and are no faster (docs/decisions/0062). Not collecting before it is full saves 3 % of processor time at
// saturation: an event's objects are dead before a collection examines them. 384 MB of heap leave a machine of 512 MB room
// for the rest.
export const SERVER_FLAGS = ['--max-semi-space-size=16', '--no-minor-gc-task', '--max-old-space-size=384']
