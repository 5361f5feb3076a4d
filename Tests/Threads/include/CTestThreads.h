#pragma once

// Linking this target is all that it takes: see Threads.c.
