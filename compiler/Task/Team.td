// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops of the task dialect in loops that several workers execute together. The file is separate
// because few files use the ops; Task/Team.h declares them.

#ifndef CONVOY_TASK_TEAM_TD
#define CONVOY_TASK_TEAM_TD

include "Task/Task.td"

class Task_TeamFlagOp<string mnemonic> : Op<Task_Dialect, mnemonic> {
  let arguments = (ins AnyMemRef:$flags, I64Attr:$worker, I64Attr:$count, I32:$base);
  let assemblyFormat = "$flags `[` $worker `]` $count `plus` $base attr-dict `:` type($flags)";
}

def Task_TeamWaitOp : Task_TeamFlagOp<"team_wait"> {
  let summary = "Waits in a loop until another worker of the loop has posted a count";
  let description = [{
    The count is relative to the base of the iteration. `worker` is the number of a flag: the flags
    of loops follow those of the workers.

    ```mlir
    task.team_wait %flags[3] 1 plus %base : memref<64xi32>
    ```
  }];
}

def Task_TeamPostOp : Task_TeamFlagOp<"team_post"> {
  let summary = "Posts in a loop how many steps of an iteration this worker has done";
  let description = [{
    ```mlir
    task.team_post %flags[2] 1 plus %base : memref<64xi32>
    ```
  }];
}

def Task_TeamRenewOp : Op<Task_Dialect, "team_renew"> {
  let summary = "Clears the word of this worker's part of a share for the next iteration";
  let description = [{
    In a loop that several workers execute together, a share is executed once per iteration. Each
    worker clears the word of its own part after the workers have met at the end of the iteration.
    Until then, the other workers see that no step of the part is left.

    ```mlir
    task.team_renew %flags[66] : memref<68xi32>
    ```
  }];
  let arguments = (ins AnyMemRef:$flags, I64Attr:$word);
  let assemblyFormat = "$flags `[` $word `]` attr-dict `:` type($flags)";
}

#endif // CONVOY_TASK_TEAM_TD
