"""The keys of the app, one a line: its name, its action, its words.

Footer, help and palette show them as they are here, and the setting `keymap` changes them by the
last part of their ids. This table needs no screen, since commands check settings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

_TABLE = """
[app]
app.stats           s                 show('Stats')           stats       -  Totals, growth and performance
app.sessions        S                 show('Sessions')        (sessions)  -  Agent sessions of this project: list, search, read
app.setup           W                 show('Setup')           (set up)    -  Index sessions, install hooks, import notes
app.settings        comma             show('Settings')        (settings)  -  Show and change settings
app.import          X                 import                  (import)    -  Import a store, a file or a folder of notes, after a preview
app.undo            u,ctrl+z          undo                    undo        -  Undo the last operation of any kind
app.redo            U,ctrl+y          redo                    (redo)      -  Redo the last undone operation
app.activity        A                 show('Activity')        (activity)  -  What was stored, injected, changed and undone, live
app.history         H                 show('History')         (history)   -  Operations of the last 30 days; any can be undone
app.clarifications  Q                 show('Clarifications')  (clarify)   -  Clarifications: what agents ask each other
app.told            K                 show('Told')            (told)      -  All that an agent is told at a session's start, by whom, what repeats
app.inbox           R                 show('Inbox')           (inbox)     -  Review what agents wrote: approve, edit, take back
app.prune           P                 prune                   (prune)     -  Preview archiving stale memories and those beyond a capacity
app.doctor          exclamation_mark  show('Doctor')          (doctor)    -  Problems and repairs
app.help            question_mark,f1  help                    help        -  Keys of this screen
app.palette         ctrl+p            command_palette         (palette)   -  All actions, issues and agents
app.back            q                 leave_memory            back        -  Back to the memory that this one was opened from
app.quit            q                 quit                    quit        -  Leave memtui
app.quit_anywhere   ctrl+q!           quit                    (quit)      -  Leave memtui

[browse]
browse.find    slash               search       search         Find  Search as you type: words, phrases, filters
browse.issue   number_sign,ctrl+g  pick_issue   issue          Find  Filter by issue
browse.order   o,ctrl+o            order        order          Find  Next sort order: age, tokens, recalls, relevance
browse.clear   escape              clear        clear          Find  Clear selection, zoom or search
browse.inject  i                   inject       inject         View  Preview what is injected: next session, or this agent and issue
browse.client  I                   next_client  (next client)  View  Show the next session of another client

[memories]
memory.edit       e          edit            edit          Edit  Edit in your editor, as Markdown
memory.archive    a          archive         archive       Edit  Archive or restore
archived.archive  a          restore         restore       Edit  Restore from the archive
memory.copy       y          copy            copy          Edit  Copy text, id or prompt block
memory.source     f          source          (source)      Edit  Open the session at the message it came from
memory.delete     d          delete          (delete)      Edit  Delete, after a preview
memory.pin        p          flag('pinned')  (pin)         Edit  Always inject; press again to unpin
memory.mute       m          flag('muted')   (mute)        Edit  Never inject; press again to unmute
memory.close      t          close_task      (close task)  Edit  Close the task, or reopen it
memory.tags       T          tags            (tags)        Edit  Add or remove tags
memory.verify     Z          verify          (repair)      Edit  Repair what no longer fits the code: new path, still holds, archive
memory.level      ampersand  level           (level)       Edit  Move to another level, after a preview: mine, project, team

[list of memories]
memory.new     n  write_new  (new)     Edit  New memory (prefilled from the search)
memory.export  x  export     (export)  Edit  Export the selection or the list to a file

[browse panes]
browse.compact        c          compact   compact          Edit  Preview what would merge, and how much it saves
browse.capture        C          capture   (capture)        Edit  Capture memories from a session
browse.next_pane      tab        pane(1)   (next pane)      View
browse.previous_pane  shift+tab  pane(-1)  (previous pane)  View
browse.pane_1         1          go_to(1)  (agents)         View  Go to agents
browse.pane_2         2          go_to(2)  (categories)     View  Go to categories
browse.pane_3         3          go_to(3)  (results)        View  Go to results
browse.pane_4         4          go_to(4)  (memory)         View  Go to memory
browse.zoom           z,ctrl+l   zoom      zoom             View  Maximize or restore the pane
browse.refresh        ctrl+r     app.look  (refresh)        View  Reload

[search box]
search.down      down      step(1)    down       Move
search.up        up        step(-1)   up         Move    Up; from the first row, earlier searches
search.pgdn      pagedown  step(10)   ten down   Move
search.pgup      pageup    step(-10)  ten up     Move
search.complete  tab       complete   complete   Choose  Complete what is shown
search.open      enter     enter      open       Choose
search.leave     escape    leave      leave box  Choose

[agents]
agents.choose  enter,space  choose  choose agent  Choose  Filter by this agent; press again to clear

[categories]
categories.choose  enter,space  choose       choose category  Choose  Filter by this; press again to clear
categories.fold    left,h       fold(True)   (fold layer)     -
categories.unfold  right,l      fold(False)  (unfold layer)   -

[results]
results.open    enter     choose      open            Choose  Open in full, with every field
results.select  space     mark        (select)        Choose  Select for bulk actions
results.range   v         mark_range  (select range)  Choose  Start a range; press again to end it
results.all     asterisk  mark_all    (select all)    Choose  Select every match, or none

[memory]
memory.back      escape,q       dismiss     back        -
memory.resolve   r              resolve     versions    -     Choose between the versions of two branches
memory.next      right,l        step(1)     next        View  Next memory of the list
memory.previous  left,h         step(-1)    (previous)  View  Previous memory of the list
memory.pane      tab,shift+tab  other_pane  related     View  Go to the related memories, or back
memory.find      slash          filter      filter      View  List only related memories with some words, as you type

[related]
related.open  enter  choose  open related  Choose  Open the related memory

[versions]
resolve.keep  1         take(0)  keep left     -  Keep the version on the left
resolve.take  2         take(1)  take right    -  Use the version on the right
resolve.next  l         next     next version  -  Show the next branch's version
resolve.back  escape,q  dismiss  back          -  Keep both versions for now

[injection]
injection.save       ctrl+s              save        save              Keep    Save the tried pins and mutes
injection.more       plus,equals_sign    budget(1)   budget            Recall  Larger budget
injection.less       minus               budget(-1)  (smaller budget)  Recall  Smaller budget; 0 injects nothing
injection.profile    R                   profile     profile           Recall  Next ranking: memtui, agentx, evolving, vault
injection.task       J                   task        task              Recall  Describe the job, the session's task
injection.agent      at                  pick_agent  (agent)           Recall  Choose the agent
injection.issue      number_sign,ctrl+g  pick_issue  (issue)           Recall  Choose the issue
injection.client     I                   channel     (client)          Recall  Next client or channel; each has its own limit
injection.compare    D                   compare     compare           Recall  Compare with another profile, budget or channel
injection.copy       y                   copy        copy              Keep    Copy the text
injection.write      Y                   write       (to a file)       Keep    Save to a file, if your terminal can't copy
injection.pane       tab                 pane(1)     text              View    Switch between candidates and text
injection.pane_back  shift+tab           pane(-1)    (previous pane)   View
injection.zoom       z,ctrl+l            zoom        (zoom)            View    Maximize or restore the pane
injection.back       escape,q            leave       back              -

[task]
task.done  enter,escape  screen.leave_task  done  -

[candidates]
candidates.open  enter  choose                        open             Choose  Open in full, with every field
candidates.mark  space  screen.try_mark               (in, pin, mute)  Choose  Try it pinned, muted, unmarked or as stored
candidates.pin   p      screen.toggle_mark('pinned')  pin              Choose  Pin, or unpin; ctrl+s saves it
candidates.mute  m      screen.toggle_mark('muted')   mute             Choose  Mute, or unmute; ctrl+s saves it

[candidates pane]
candidates.find      slash  filter    filter    Move  Filter the candidates by words
candidates.left_out  V      left_out  left out  Move  View only what is left out, or everything

[filter]
filter.done   enter,down  done   list   -
filter.clear  escape      clear  clear  -

[injected text]
text.back  tab  screen.pane(1)  candidates  View  Back to the candidates

[comparison]
compare.profile  R                 profile        profile   -  Next profile
compare.more     plus,equals_sign  budget(1)      more      -  Larger budget
compare.less     minus             budget(-1)     less      -  Smaller budget
compare.client   I                 channel        client    -  Next client or channel
compare.take     enter             take           use this  -  Use this instead
compare.find     slash             filter         filter    -  List only rows with some words, as you type
compare.compare  D                 dismiss(None)  (back)    -  Change nothing
compare.back     escape,q          dismiss(None)  back      -  Change nothing

[compaction]
compaction.find           slash      filter    filter           Choose  List only clusters with some words, as you type
compaction.move_out       M          move_out  move out         Choose  Move this original out of its cluster
compaction.apply          enter      apply     apply            Choose  Compact all clusters that are not left out
compaction.next_pane      tab        pane(1)   texts            View    Next pane
compaction.previous_pane  shift+tab  pane(-1)  (previous pane)  View
compaction.refresh        ctrl+r     plan      (plan again)     View    Plan again from the files, with everything included
compaction.back           escape,q   leave     back             -       Cancel, stop after this issue, or go back

[clusters]
clusters.leave_out  space  screen.leave_out  leave out  Choose  Leave out; press again to include

[originals]
originals.down   down,j  move(1)      down   Move
originals.up     up,k    move(-1)     up     Move
originals.first  g,home  move(-9999)  first  Move
originals.last   G,end   move(9999)   last   Move

[capture]
capture.model  L  model  model  Choose  Choose whose language model picks the memories, or rules

[captured]
capture.drop   space               screen.drop   drop   Choose  Drop; press again to keep
capture.edit   e                   screen.edit   edit   Choose  Edit before storing
capture.keep   enter               screen.keep   keep   Choose  Store everything that is not dropped
capture.issue  number_sign,ctrl+g  screen.issue  issue  Choose  Change the issue
capture.agent  at                  screen.agent  agent  Choose  Change the agent

[sessions]
sessions.open        enter     open        open               -     Read the conversation
sessions.find        slash     search      search             -     Search messages; agent:, branch:, issue: and file: filter the list
sessions.capture     C         capture     capture            -     Preview what this session would leave in memory
sessions.take_in     B         take_in     index              -     Build the index: all sessions, for search and recall, in the background
sessions.zoom        z,ctrl+l  zoom        (zoom)             View  Maximize or restore the details
sessions.stop        B         stop        stop               -     Stop indexing
sessions.earlier     F         earlier     (earlier folders)  -     Folders where sessions ran that may be of this project
sessions.everywhere  E         everywhere  all projects       -     Sessions of all projects on this machine

[sessions everywhere]
sessions.open_memory  O  open_memory  open memory  -  Open the memory of this session's project

[earlier]
earlier.mark  space  mark  count in or out  -  Count what ran there as this project's; again: leave it out; again: undecided

[session]
session.find      slash     find            find                 -  Find words in this session
session.again     n         find_again(1)   next match           -  Next match
session.backward  N         find_again(-1)  (previous match)     -  Previous match
session.capture   C         capture         capture passage      -  Save the selected range or entry as a memory
session.copy      y         copy_resume     copy resume command  -  Copy the command that resumes this session
session.sessions  S         file_sessions   file's sessions      -  List sessions that touched this file
session.back      escape,q  leave           back                 -

[conversation]
conversation.unfold    enter      choose       unfold            Choose  Unfold or fold; on a captured memory, open it
conversation.range     v          range        (select range)    Choose  Start a range at the cursor; press again to cancel
conversation.next      tab        request(1)   next request      Move
conversation.previous  shift+tab  request(-1)  previous request  Move

[overview]
overview.open     enter     zoom    open       View  Maximize or restore the details
overview.zoom     z,ctrl+l  zoom    zoom       View  Maximize or restore the details
overview.find     slash     filter  filter     View  List only rows with some words, as you type
overview.back     escape,q  leave   back       -
overview.refresh  ctrl+r    reload  (refresh)  View  Reload

[activity]
activity.history  H  app.show('History')  history  -  Operations with their diffs; any can be undone

[history]
history.undo  u,ctrl+z  undo_selected  undo this  -  Undo this operation
history.redo  U,ctrl+y  redo_selected  redo this  -  Redo this undone operation

[clarifications]
clarifications.answer    w                  answer    answer            -  Write an answer for the asked agent, or as yourself once escalated
clarifications.resolve   r                  resolve   resolve           -  Resolve with its answer
clarifications.escalate  greater_than_sign  escalate  escalate          -  Pass it on to a person
clarifications.archive   a                  abandon   (abandon)         -  Put it aside: nobody will answer
clarifications.capture   C                  decision  keep as decision  -  Add the outcome as a decision, after a preview

[doctor]
doctor.repair  enter  repair  repair all    -  Preview all repairs, then apply them
doctor.setup   W      driver  merge driver  -  Set up git to merge memory by memory
doctor.verify  Z      verify  repair        -  Repair the memory that no longer fits the code

[inbox]
inbox.approve      a  approve      approve      -  Approve it: it is stored, or its file counts as you saw it
inbox.delete       d  take_back    take back    -  Take it back: memory or file stay as they were
inbox.edit         e  edit         edit         -  Edit it; it waits on, with your text
inbox.import       X  import_file  import       -  Import the notes of its file as memories, after a preview
inbox.approve_all  A  approve_all  approve all  -  Preview all that is listed, then approve it

[told]
told.edit      e  edit         edit         -  Open the file in your editor, at the first line that overlaps
told.import    X  import_file  import       -  Import the notes of this file as memories, after a preview
told.mute      m  mute         mute         -  Never tell this memory again
told.move_out  M  to_file      to file      -  Write this memory into the client's instruction file, after a preview
told.client    I  next_client  next client  -  What another client is told

[stats]
stats.back     escape,q  dismiss  back       -
stats.refresh  ctrl+r    reload   (refresh)  -  Reload
stats.unused   enter     find_unused  never used  -  Find what is always told and never used, to mute or archive it

[settings]
settings.edit    enter,e   edit        edit        Edit  Change the value; on and off switch at once
settings.delete  d         reset       reset       Edit  Delete the value from its file: the default applies
settings.file    tab       other_file  other file  Edit  Switch between your settings and this project's
settings.undo    u,ctrl+z  undo        undo        Edit  Undo the change
settings.redo    U,ctrl+y  redo        (redo)      Edit  Redo the change

[setup]
setup.take    enter  take    apply   -  Do what the details describe
setup.stop    B      stop    stop    -  Stop indexing
setup.delete  d      remove  remove  -  Remove hooks, the merge driver or the command

[copy]
copy.copy   enter  copy     copy       -  Copy to the clipboard
copy.write  Y      save     to a file  -  Save to a file, if your terminal can't copy
copy.text   1      take(0)  (text)     -  Copy the text
copy.id     2      take(1)  (id)       -  Copy the id
copy.block  3      take(2)  (block)    -  Copy as a prompt block

[write]
write.save  ctrl+s  keep   save  -  Check and save
write.back  escape  leave  back  -  Don't save; a draft is kept

[help]
help.run     enter             run      run     -  Leave the help, and do this
help.find    slash             filter   filter  -  List only keys with some words, as you type
help.help    question_mark,f1  dismiss  (back)  -
help.back    escape,q          leave    back    -
help.manual  b                 manual   manual  -  Book: the manual page of this screen

[manual]
manual.back      escape,q     app.pop_screen  back           -  Leave the manual
manual.previous  h,backspace  back            previous page  -  Page you came from
manual.next      l            forward         next page      -  Forward again
manual.index     1            index           index          -  First page

[picker]
picker.pick      enter!    pick           pick      -
picker.preview   enter!    preview        preview   -
picker.complete  tab!      complete       complete  -     Complete the path
picker.find      slash     filter         filter    -     List only rows with some words, as you type
picker.back      escape,q  dismiss(None)  back      -
picker.down      down      step(1)        down      Move
picker.up        up        step(-1)       up        Move
picker.pgdn      pagedown  step(10)       ten down  Move
picker.pgup      pageup    step(-10)      ten up    Move

[box]
box.stay  tab,shift+tab  stay  (stay)  Move

[prompt]
prompt.save      enter!  save('save')   save              -
prompt.apply     enter!  save('apply')  apply             -
prompt.write     enter!  save('write')  write             -
prompt.format    ctrl+t  format         format            -  Next format
prompt.next      down    step(1)        next value        -  Next known value
prompt.previous  up      step(-1)       (previous value)  -
prompt.back      escape  dismiss(None)  back              -

[confirm]
confirm.yes    enter     agree('yes')    yes         -  Confirm
confirm.apply  enter     agree('apply')  apply       -  Apply this plan
confirm.edit   enter,e   agree('edit')   edit again  -  Edit your text again
confirm.back   escape,q  dismiss(False)  back        -  Change nothing

[list]
list.down   down,j           move(1)   down       Move
list.up     up,k             move(-1)  up         Move
list.pgdn   pagedown,ctrl+d  page(1)   page down  Move
list.pgup   pageup,ctrl+u    page(-1)  page up    Move
list.first  g,home           first     first row  Move
list.last   G,end            last      last row   Move

[reader]
reader.down   j,down           by(1)      down       Move
reader.up     k,up             by(-1)     up         Move
reader.pgdn   pagedown,ctrl+d  page(1)    page down  Move
reader.pgup   pageup,ctrl+u    page(-1)   page up    Move
reader.first  g,home           to(False)  top        Move
reader.last   G,end            to(True)   end        Move
"""
"""A place in brackets, then its keys in the order of the footer: id, keys, action, label, group and
what the help adds to the label. A label in parentheses, or the group Move, is not in the footer;
a key with `!` goes before those of the widget that has the focus.
"""


class Key(NamedTuple):
    """The keys of an action; `footer` is True where the bar at the bottom names it."""

    id: str
    keys: str
    action: str
    label: str
    group: str
    tooltip: str
    footer: bool
    priority: bool


def _key(line: str) -> Key:
    id_, keys, action, label, group, *tooltip = re.split(" {2,}", line)
    return Key(
        id_,
        keys.removesuffix("!"),
        action,
        label.strip("()"),
        "" if group == "-" else group,
        "".join(tooltip),
        footer=not label.startswith("(") and group != "Move",
        priority=keys.endswith("!"),
    )


def _places() -> Iterator[tuple[str, tuple[Key, ...]]]:
    for block in _TABLE.strip().split("\n\n"):
        place, *lines = block.split("\n")
        yield place.strip("[]"), tuple(map(_key, lines))


KEYS: Mapping[str, tuple[Key, ...]] = dict(_places())
"""The keys of each place of the app."""


def _actions() -> dict[str, tuple[str, ...]]:
    ids: dict[str, tuple[str, ...]] = {}
    for keys in KEYS.values():
        for key in keys:
            name = key.id.rpartition(".")[2]
            ids[name] = (*ids.get(name, ()), key.id)
    return ids


ACTIONS: Mapping[str, tuple[str, ...]] = _actions()
"""The names that `keymap` knows, each with the ids of its keys, in one place or several."""
