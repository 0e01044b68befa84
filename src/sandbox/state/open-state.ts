import type { SandboxActivity } from '../service/activity.js';
import type { ServiceState } from '../service/service-state.js';
import { recordsOf, snapshotOf, startRecords, timelineRecord } from './records.js';
import { collectRecords, type StoredState } from './restore.js';
import { claimStateFile, readStateFile, StateFile } from './state-file.js';

/** A state file that was read and is locked, before the sandbox runs on it. */
export interface OpenedState {
  /** What the file holds. */
  readonly stored: StoredState;
  /** Begins to write what happens; `current` is the state, which a reset replaces. */
  start(current: () => ServiceState, seed: string): StateWriter;
  /** Gives the file up without writing to it. */
  abandon(): void;
}

/** Writes what happens in a sandbox. */
export interface StateWriter {
  /** Adds what an activity has changed, and the timeline entry that it made. */
  record(activity: SandboxActivity, timeline: Parameters<typeof timelineRecord> | undefined): void;
  /** Resolves when everything recorded is on the disk; undefined when it is. */
  saved(): Promise<void> | undefined;
  close(): Promise<void>;
}

/** Reads and locks a state file; a file that does not exist yet is an empty one. */
export function openState(path: string): OpenedState {
  const { path: realPath, unlock } = claimStateFile(path);
  let stored: StoredState;
  let length: number;
  try {
    const content = readStateFile(realPath);
    stored = collectRecords(content.records);
    ({ length } = content);
  } catch (error) {
    unlock();
    throw error;
  }
  return {
    stored,
    abandon: unlock,
    start: (current, seed) => {
      const file = new StateFile({
        path: realPath,
        unlock,
        snapshot: () => snapshotOf(current(), seed),
        found: { length, liveShare: stored.liveShare },
      });
      if (length > 0) for (const record of startRecords(current(), seed, stored)) file.add(record);
      return {
        record: (activity, timeline) => {
          for (const record of recordsOf(activity, current())) file.add(record);
          if (activity.type === 'reset') for (const record of snapshotOf(current(), seed)) file.add(record);
          if (timeline) file.add(timelineRecord(...timeline));
        },
        saved: () => file.saved(),
        close: () => file.close(),
      };
    },
  };
}
